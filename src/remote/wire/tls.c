/* The few parts of OpenSSL that are needed.
 *
 * Bytes go through a BIO of our own instead of OpenSSL's for sockets: a peer that has left must not
 * raise a SIGPIPE, and tests fail our system calls (exec/process/sys.h).
 *
 * A handshake without the pre-shared key would need a certificate; we have none as a server, and as
 * a client we trust none. That the key was used is checked all the same (SSL_session_reused).
 *
 * Buffers are given back while nothing is under way (SSL_MODE_RELEASE_BUFFERS): a coordinator has a
 * thousand conversations, most of which are silent at any time.
 *
 * OpenSSL would ask the socket for five bytes, then for the rest of a record, and then once more to
 * hear that there is nothing. It is told to take all that there is; and when the socket had less
 * than was asked for, the next question is answered without asking it. Whatever has come since
 * wakes whoever waits for the socket, so each of our callers has to, before it reads again. All is
 * a few records for those who have shown that they have the key, and one for strangers. */
#include "remote/wire/tls.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "exec/process/sys.h"
#include "remote/wire/libssl.h"

#define TLS_IDENTITY "dolly agent"

enum {
    TLS_AHEAD = 4 * (TLS_RECORD_MAX + 256), /* records, each with what is around it */
    TLS_SESSION_KEY = 512, /* of a session's bytes: among the first of them is its key */
};

struct tls_side {
    SSL_CTX *context;
    BIO_METHOD *method;
    struct secret secret;
    bool server;
};

struct tls {
    SSL *ssl;
    int fd;
    bool drained; /* the socket had less than was asked for */
};

/* ---- the socket ---- */

static int tls_bio_read(BIO *b, char *at, int size)
{
    struct tls *t = libssl.BIO_get_data(b);
    ssize_t n = -1;

    BIO_clear_retry_flags(b);
    if (t->drained)
        errno = EAGAIN;
    else
        n = sys_recv(t->fd, at, (size_t)size, MSG_DONTWAIT);
    t->drained = !t->drained && n > 0 && n < size;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        BIO_set_retry_read(b);
    return (int)n;
}

static int tls_bio_write(BIO *b, const char *at, int length)
{
    const struct tls *t = libssl.BIO_get_data(b);

    BIO_clear_retry_flags(b);
    ssize_t n = sys_send(t->fd, at, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOBUFS))
        BIO_set_retry_write(b);
    return (int)n;
}

static long tls_bio_ctrl(BIO *b, int command, long number, void *more)
{
    (void)b;
    (void)number;
    (void)more;
    return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *tls_bio_method(void)
{
    BIO_METHOD *m =
        libssl.BIO_meth_new(libssl.BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "dolly socket");

    if (m && libssl.BIO_meth_set_read(m, tls_bio_read) &&
        libssl.BIO_meth_set_write(m, tls_bio_write) && libssl.BIO_meth_set_ctrl(m, tls_bio_ctrl))
        return m;
    libssl.BIO_meth_free(m);
    return NULL;
}

/* ---- the key ---- */

/* OpenSSL copies sessions, and with them the key. */
static void tls_hide_key(const SSL_SESSION *s)
{
    if (s)
        secret_hide(s, TLS_SESSION_KEY);
}

static SSL_SESSION *tls_session(SSL *ssl)
{
    static const unsigned char id[] = {0x13, 0x01}; /* TLS_AES_128_GCM_SHA256 */
    const struct tls_side *side = SSL_CTX_get_app_data(libssl.SSL_get_SSL_CTX(ssl));
    const SSL_CIPHER *cipher = libssl.SSL_CIPHER_find(ssl, id);
    SSL_SESSION *s = libssl.SSL_SESSION_new();

    tls_hide_key(s);
    if (s && cipher && libssl.SSL_SESSION_set1_master_key(s, side->secret.bytes, SECRET_BYTES) &&
        libssl.SSL_SESSION_set_cipher(s, cipher) &&
        libssl.SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION))
        return s;
    libssl.SSL_SESSION_free(s);
    return NULL;
}

static int tls_find_key(SSL *ssl, const unsigned char *identity, size_t length, SSL_SESSION **found)
{
    *found = NULL;
    if (length != strlen(TLS_IDENTITY) || memcmp(identity, TLS_IDENTITY, length) != 0)
        return 1; /* goes on without, and fails for lack of a certificate */
    *found = tls_session(ssl);
    return *found != NULL;
}

static int tls_use_key(SSL *ssl, const EVP_MD *hash, const unsigned char **identity, size_t *length,
                       SSL_SESSION **used)
{
    *used = NULL;
    if (hash && libssl.EVP_MD_get_type(hash) != NID_sha256)
        return 0;
    *identity = (const unsigned char *)TLS_IDENTITY;
    *length = strlen(TLS_IDENTITY);
    *used = tls_session(ssl);
    return *used != NULL;
}

/* ---- sides ---- */

static bool tls_side_set(struct tls_side *side)
{
    SSL_CTX *c = side->context;

    SSL_CTX_set_app_data(c, side);
    libssl.SSL_CTX_set_options(c,
                               SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(c, 1);
    SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
    if (side->server) {
        libssl.SSL_CTX_set_psk_find_session_callback(c, tls_find_key);
    } else {
        libssl.SSL_CTX_set_psk_use_session_callback(c, tls_use_key);
        libssl.SSL_CTX_set_verify(c, SSL_VERIFY_PEER, NULL);
    }
    return SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) &&
           SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) &&
           libssl.SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256") &&
           libssl.SSL_CTX_set_num_tickets(c, 0) && SSL_CTX_set1_groups_list(c, "X25519:P-256");
}

struct tls_side *tls_side_create(const struct secret *secret, bool server, struct err *err)
{
    if (libssl_load(err) < 0)
        return NULL;
    struct tls_side *side = mem_zalloc(1, sizeof *side);

    side->server = server;
    secret_copy(&side->secret, secret->bytes);
    side->method = tls_bio_method();
    side->context =
        libssl.SSL_CTX_new(server ? libssl.TLS_server_method() : libssl.TLS_client_method());
    if (side->method && side->context && tls_side_set(side))
        return side;
    err_system(err, "cannot prepare for encryption: %s", tls_why());
    tls_side_destroy(side);
    return NULL;
}

void tls_side_destroy(struct tls_side *side)
{
    if (!side)
        return;
    libssl.SSL_CTX_free(side->context);
    libssl.BIO_meth_free(side->method);
    secret_wipe(&side->secret);
    mem_free(side);
}

/* ---- conversations ---- */

struct tls *tls_create(struct tls_side *side, int fd)
{
    struct tls *t = mem_zalloc(1, sizeof *t);
    BIO *b = libssl.BIO_new(side->method);

    t->fd = fd;
    t->ssl = libssl.SSL_new(side->context);
    if (!t->ssl || !b) {
        libssl.BIO_free(b);
        tls_destroy(t);
        return NULL;
    }
    libssl.BIO_set_data(b, t);
    libssl.BIO_set_init(b, 1);
    libssl.SSL_set_bio(t->ssl, b, b);
    if (side->server)
        libssl.SSL_set_accept_state(t->ssl);
    else
        libssl.SSL_set_connect_state(t->ssl);
    return t;
}

void tls_destroy(struct tls *t)
{
    if (!t)
        return;
    libssl.SSL_free(t->ssl);
    mem_free(t);
}

/* Why a call came to nothing. */
static enum tls_result tls_result(struct tls *t, int answer, int error)
{
    switch (libssl.SSL_get_error(t->ssl, answer)) {
    case SSL_ERROR_NONE:
        return TLS_DONE;
    case SSL_ERROR_WANT_READ:
        return TLS_AGAIN;
    case SSL_ERROR_WANT_WRITE:
        return TLS_FULL;
    case SSL_ERROR_ZERO_RETURN:
        errno = 0;
        return TLS_CLOSED;
    case SSL_ERROR_SYSCALL:
        errno = error;
        return TLS_CLOSED;
    default:
        if (ERR_GET_REASON(libssl.ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
            errno = 0;
            return TLS_CLOSED;
        }
        return TLS_BAD;
    }
}

enum tls_result tls_greet(struct tls *t)
{
    libssl.ERR_clear_error();
    errno = 0;
    int answer = libssl.SSL_do_handshake(t->ssl), why = errno;
    t->drained = false;
    tls_hide_key(libssl.SSL_get_session(t->ssl));
    if (answer != 1)
        return tls_result(t, answer, why);
    libssl.SSL_set_default_read_buffer_len(t->ssl, TLS_AHEAD);
    return libssl.SSL_session_reused(t->ssl) ? TLS_DONE : TLS_BAD;
}

bool tls_number(struct tls *t, unsigned char number[TLS_NUMBER])
{
    static const char label[] = "EXPORTER-dolly-badge";

    return libssl.SSL_export_keying_material(t->ssl, number, TLS_NUMBER, label, strlen(label), NULL,
                                             0, 0) == 1;
}

enum tls_result tls_read(struct tls *t, void *at, size_t size, size_t *count)
{
    *count = 0;
    libssl.ERR_clear_error();
    errno = 0;
    int answer = libssl.SSL_read_ex(t->ssl, at, size, count);
    return answer == 1 ? TLS_DONE : tls_result(t, answer, errno);
}

enum tls_result tls_write(struct tls *t, const void *at, size_t length, size_t *count)
{
    *count = 0;
    libssl.ERR_clear_error();
    errno = 0;
    int answer =
        libssl.SSL_write_ex(t->ssl, at, length < TLS_RECORD_MAX ? length : TLS_RECORD_MAX, count);
    return answer == 1 ? TLS_DONE : tls_result(t, answer, errno);
}

void tls_end(struct tls *t)
{
    libssl.SSL_shutdown(t->ssl);
}

const char *tls_why(void)
{
    const char *reason = libssl.ERR_reason_error_string(libssl.ERR_peek_error());
    return reason ? reason : "it does not use the key";
}
