/* Peers that have the key, and are none of this program. */
#include "remote/wire/tls.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote/wire/libssl.h"
#include "tests/unit/test.h"

static struct secret key;
static const char *shown; /* as which identity */

static int peer_read(BIO *b, char *at, int room)
{
    ssize_t n = recv(*(int *)libssl.BIO_get_data(b), at, (size_t)room, MSG_DONTWAIT);

    BIO_clear_retry_flags(b);
    if (n < 0)
        BIO_set_retry_read(b);
    return (int)n;
}

static int peer_write(BIO *b, const char *at, int length)
{
    BIO_clear_retry_flags(b);
    return (int)send(*(int *)libssl.BIO_get_data(b), at, (size_t)length,
                     MSG_DONTWAIT | MSG_NOSIGNAL);
}

static long peer_ctrl(BIO *b, int command, long number, void *more)
{
    (void)b;
    (void)number;
    (void)more;
    return command == BIO_CTRL_FLUSH;
}

static int peer_key(SSL *ssl, const EVP_MD *hash, const unsigned char **identity, size_t *length,
                    SSL_SESSION **used)
{
    static const unsigned char id[] = {0x13, 0x01};

    (void)hash;
    *identity = (const unsigned char *)shown;
    *length = strlen(shown);
    *used = libssl.SSL_SESSION_new();
    return libssl.SSL_SESSION_set1_master_key(*used, key.bytes, SECRET_BYTES) &&
           libssl.SSL_SESSION_set_cipher(*used, libssl.SSL_CIPHER_find(ssl, id)) &&
           libssl.SSL_SESSION_set_protocol_version(*used, TLS1_3_VERSION);
}

/* Returns how a greeting ends with a peer that shows the key under this name. */
static enum tls_result greets(const char *identity)
{
    enum tls_result result = TLS_AGAIN;
    struct err err;
    int fds[2];

    shown = identity;
    struct tls_side *side = tls_side_create(&key, true, &err);
    expect(side && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    struct tls *server = tls_create(side, fds[0]);
    BIO_METHOD *method =
        libssl.BIO_meth_new(libssl.BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "peer");
    libssl.BIO_meth_set_read(method, peer_read);
    libssl.BIO_meth_set_write(method, peer_write);
    libssl.BIO_meth_set_ctrl(method, peer_ctrl);
    SSL_CTX *context = libssl.SSL_CTX_new(libssl.TLS_client_method());
    libssl.SSL_CTX_set_psk_use_session_callback(context, peer_key);
    SSL *peer = libssl.SSL_new(context);
    BIO *b = libssl.BIO_new(method);
    libssl.BIO_set_data(b, &fds[1]);
    libssl.BIO_set_init(b, 1);
    libssl.SSL_set_bio(peer, b, b);
    libssl.SSL_set_connect_state(peer);
    for (int i = 0; i < 100 && result == TLS_AGAIN; i++) {
        libssl.SSL_do_handshake(peer);
        result = tls_greet(server);
    }
    tls_destroy(server);
    tls_side_destroy(side);
    libssl.SSL_free(peer);
    libssl.SSL_CTX_free(context);
    libssl.BIO_meth_free(method);
    close(fds[0]);
    close(fds[1]);
    return result;
}

/* The key of an agent is for that alone. */
TEST(tls_knows_the_key_by_its_name)
{
    memset(&key, 'k', sizeof key);
    expect(greets("dolly agent") == TLS_DONE);
    expect(greets("dolly agenT") == TLS_BAD);
    expect(greets("dolly agents") == TLS_BAD);
    expect(greets("dolly agen") == TLS_BAD);
    expect(tls_why()[0]);
    libssl.ERR_clear_error();
    expect(strcmp(tls_why(), "it does not use the key") == 0);
}

struct tls_pair {
    struct tls_side *sides[2];
    struct tls *ends[2];
    int fds[2];
};

/* Puts an error of something else where the library keeps the error of a call. */
static void leave_an_error(void)
{
    expect(!libssl.SSL_CTX_new(NULL));
}

static void pair_open(struct tls_pair *p)
{
    enum tls_result results[2] = {TLS_AGAIN, TLS_AGAIN};
    struct err err;

    memset(&key, 'k', sizeof key);
    expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->fds) == 0);
    for (int i = 0; i < 2; i++) {
        p->sides[i] = tls_side_create(&key, i == 1, &err);
        p->ends[i] = tls_create(p->sides[i], p->fds[i]);
    }
    for (int i = 0; i < 100 && (results[0] != TLS_DONE || results[1] != TLS_DONE); i++)
        for (int k = 0; k < 2; k++) {
            leave_an_error();
            results[k] = results[k] == TLS_DONE ? TLS_DONE : tls_greet(p->ends[k]);
            expect(results[k] == TLS_DONE || results[k] == TLS_AGAIN);
        }
    expect(results[0] == TLS_DONE && results[1] == TLS_DONE);
}

static void pair_close(struct tls_pair *p)
{
    for (int i = 0; i < 2; i++) {
        tls_destroy(p->ends[i]);
        tls_side_destroy(p->sides[i]);
    }
    close(p->fds[1]);
}

/* Where a socket that is closed is no error of the system, there is none to report. */
TEST(tls_ends_without_an_error_where_the_other_end_has_closed)
{
    struct tls_pair p;
    size_t count = 7;
    char byte;

    pair_open(&p);
    expect(tls_read(p.ends[1], &byte, 1, &count) == TLS_AGAIN && count == 0);
    tls_end(p.ends[0]);
    errno = EIO; /* of something else */
    expect(tls_read(p.ends[1], &byte, 1, &count) == TLS_CLOSED && errno == 0 && count == 0);
    close(p.fds[0]);
    errno = EIO;
    expect(tls_write(p.ends[1], "x", 1, &count) == TLS_CLOSED && errno == 0 && count == 0);
    pair_close(&p);
}

/* Each connection of a process finds the errors of the others. */
TEST(tls_takes_no_error_of_another_call_for_its_own)
{
    unsigned char numbers[2][TLS_NUMBER] = {{1}};
    static char text[1 << 15];
    struct tls_pair p;
    size_t count = 7, sent = 0, received = 0;
    enum tls_result result;

    pair_open(&p);
    for (int i = 0; i < 2; i++) {
        leave_an_error();
        expect(tls_number(p.ends[i], numbers[i]));
    }
    expect(memcmp(numbers[0], numbers[1], TLS_NUMBER) == 0);
    for (int turn = 0; turn < 2; turn++) {
        leave_an_error();
        expect(tls_read(p.ends[1], text, sizeof text, &count) == TLS_AGAIN && count == 0);
        leave_an_error();
        while ((result = tls_write(p.ends[0], text, sizeof text, &count)) == TLS_DONE)
            sent += count;
        expect(result == TLS_FULL && count == 0 && sent > 0);
        leave_an_error();
        while ((result = tls_read(p.ends[1], text, sizeof text, &count)) == TLS_DONE)
            received += count;
        leave_an_error();
        do
            result = tls_write(p.ends[0], text, sizeof text, &count);
        while (result == TLS_FULL && tls_read(p.ends[1], text, 1, &count) == TLS_DONE &&
               ++received);
        expect(result == TLS_DONE);
        sent += count;
        while ((result = tls_read(p.ends[1], text, sizeof text, &count)) == TLS_DONE)
            received += count;
        expect(result == TLS_AGAIN && received == sent);
    }
    close(p.fds[0]);
    pair_close(&p);
    libssl.ERR_clear_error();
}
