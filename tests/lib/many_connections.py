#!/usr/bin/env python3
"""Many connections at once: many_connections.py PORT TOKEN silent|strangers|streams COUNT

Opens them all, and while they are open asks for /healthz with the token. Exits with 0 if that is answered, and, of
streams, if the last of them are refused and the others served.
"""
import resource
import socket
import sys

port, token, what, count = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
count = min(count, hard - 100)


def request(path, secret):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n\r\n".encode()


def status(connection):
    """The status of the answer; 0: the connection was closed without one."""
    try:
        return int((connection.recv(64).split() or [0, 0])[1])
    except ConnectionError:
        return 0


def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=60)


opened, statuses = [], []
for i in range(count):
    if what == "silent":
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", port))
    else:
        connection = connect()
        try:
            connection.sendall(request("/api/v1/events", token if what == "streams" else "0" * 32))
        except ConnectionError:
            pass
    if what == "streams":
        statuses.append(status(connection))
    opened.append(connection)
answer, tries = 0, 0
while answer == 0 and tries < 100:  # one that was silent for a moment may have given way: browsers connect again, too
    tries += 1
    with connect() as other:
        try:
            other.sendall(request("/healthz", token))
            answer = status(other)
        except ConnectionError:
            pass
print(answer, tries, statuses[-2:])
refused = statuses.count(503)
sys.exit(answer != 200 or (what == "streams" and (statuses != [200] * (count - refused) + [503] * refused or not 0 < refused < 10)))
