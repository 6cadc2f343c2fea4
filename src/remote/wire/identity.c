/* Credentials by libmunge.
 *
 * The library is opened at run time and by its versioned name, whose interface has not changed in
 * twenty years, instead of being linked: most machines on which dolly runs have no MUNGE, and a
 * program that is linked with a library does not even start without it. */
#include "remote/wire/identity.h"

#include <errno.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/lazy.h"

enum { IDENTITY_KEY_MAX = 4096 }; /* a sealed key, as text */

#define FUNCTIONS(F)                                                                               \
    F(munge_ctx_create)                                                                            \
    F(munge_ctx_destroy)                                                                           \
    F(munge_ctx_set) F(munge_ctx_strerror) F(munge_strerror) F(munge_encode) F(munge_decode)

static struct {
    FUNCTIONS(LAZY_MEMBER)
} libmunge;

static struct lazy_library library = {
    .file = "libmunge.so.2", .names = LAZY_NAMES(FUNCTIONS), .functions = &libmunge};

struct identity {
    munge_ctx_t maker, reader; /* two, as decoding changes its context */
};

static munge_ctx_t identity_context(const char *socket)
{
    munge_ctx_t c = libmunge.munge_ctx_create();

    if (c && socket && libmunge.munge_ctx_set(c, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
        libmunge.munge_ctx_destroy(c);
        c = NULL;
    }
    return c;
}

struct identity *identity_open(const char *socket, char why[IDENTITY_WHY])
{
    struct err err;

    if (lazy_load(&library, &err) < 0) {
        snprintf(why, IDENTITY_WHY, "%.*s", IDENTITY_WHY - 1, err.text);
        return NULL;
    }
    struct identity *b = mem_zalloc(1, sizeof *b);
    b->maker = identity_context(socket);
    b->reader = identity_context(socket);
    if (b->maker && b->reader)
        return b;
    snprintf(why, IDENTITY_WHY, "libmunge does not take the name of the socket");
    identity_close(b);
    return NULL;
}

void identity_close(struct identity *b)
{
    if (!b)
        return;
    if (b->maker)
        libmunge.munge_ctx_destroy(b->maker);
    if (b->reader)
        libmunge.munge_ctx_destroy(b->reader);
    mem_free(b);
}

static void identity_why(munge_ctx_t context, munge_err_t error, char why[IDENTITY_WHY])
{
    const char *text = libmunge.munge_ctx_strerror(context);
    snprintf(why, IDENTITY_WHY, "MUNGE: %s", text ? text : libmunge.munge_strerror(error));
}

static char *identity_encode(struct identity *b, const void *payload, int length,
                             char why[IDENTITY_WHY])
{
    char *text = NULL;

    libmunge.munge_ctx_set(b->maker, MUNGE_OPT_UID_RESTRICTION, geteuid());
    munge_err_t error = libmunge.munge_encode(&text, b->maker, payload, length);
    if (error != EMUNGE_SUCCESS) {
        identity_why(b->maker, error, why);
        return NULL;
    }
    char *credential = mem_strdup(text);
    free(text);
    return credential;
}

/* What a credential says: the number, and then who shows it. */
static void identity_payload(enum identity_role role, const unsigned char number[TLS_NUMBER],
                             unsigned char payload[TLS_NUMBER + 1])
{
    memcpy(payload, number, TLS_NUMBER);
    payload[TLS_NUMBER] = (unsigned char)role;
}

char *identity_make(struct identity *b, enum identity_role role,
                    const unsigned char number[TLS_NUMBER], char why[IDENTITY_WHY])
{
    unsigned char payload[TLS_NUMBER + 1];

    identity_payload(role, number, payload);
    return identity_encode(b, payload, sizeof payload, why);
}

bool identity_check(struct identity *b, enum identity_role role, const char *text,
                    const unsigned char number[TLS_NUMBER], char why[IDENTITY_WHY], bool *wrong)
{
    unsigned char want[TLS_NUMBER + 1];
    void *payload = NULL;
    int length = 0;
    uid_t uid = (uid_t)-1;
    gid_t gid;

    *wrong = true;
    if (!*text) {
        snprintf(why, IDENTITY_WHY, "it sent no MUNGE credential");
        return false;
    }
    identity_payload(role, number, want);
    munge_err_t error = libmunge.munge_decode(text, b->reader, &payload, &length, &uid, &gid);
    bool same =
        error == EMUNGE_SUCCESS && length == sizeof want && memcmp(payload, want, sizeof want) == 0;
    if (error != EMUNGE_SUCCESS) {
        identity_why(b->reader, error, why);
        *wrong = error >= EMUNGE_BAD_CRED;
    } else if (uid != geteuid()) {
        snprintf(why, IDENTITY_WHY, "MUNGE: it belongs to another user (%u)", (unsigned)uid);
    } else if (!same) {
        snprintf(why, IDENTITY_WHY, "MUNGE: the credential belongs to another connection");
    }
    free(payload);
    return same && uid == geteuid();
}

/* ---- sealed keys ---- */

char *identity_seal(struct identity *b, const struct secret *key, char why[IDENTITY_WHY])
{
    return identity_encode(b, key->bytes, sizeof key->bytes, why);
}

/* A seal has to keep the key from others, and to be our user's; how old it is, and whether another
 * agent of this host has opened it before, does not matter: munged tells all the same. */
static bool identity_unseal(struct identity *b, const char *text, struct secret *key,
                            char why[IDENTITY_WHY])
{
    void *payload = NULL;
    int length = 0;
    uid_t uid = (uid_t)-1;
    gid_t gid;
    munge_err_t error = libmunge.munge_decode(text, b->reader, &payload, &length, &uid, &gid);
    bool opened = error == EMUNGE_SUCCESS || error == EMUNGE_CRED_REPLAYED ||
                  error == EMUNGE_CRED_EXPIRED || error == EMUNGE_CRED_REWOUND;
    bool good = opened && payload && uid == geteuid() && length == sizeof key->bytes;

    if (good)
        memcpy(key->bytes, payload, sizeof key->bytes);
    else if (opened)
        snprintf(why, IDENTITY_WHY, "MUNGE: not a key of this run");
    else
        identity_why(b->reader, error, why);
    if (payload)
        explicit_bzero(payload, (size_t)length);
    free(payload);
    return good;
}

int identity_read_key(struct secret *key, int fd, const char *socket, struct err *err)
{
    static const char sealed[] = "MUNGE:";
    char text[IDENTITY_KEY_MAX], why[IDENTITY_WHY] = "";
    size_t have = 0;
    ssize_t n = 0;

    while (have < sizeof text - 1 && (n = read(fd, text + have, sizeof text - 1 - have)) != 0) {
        if (n < 0 && errno != EINTR)
            return err_system(err, "cannot read the key: %s", strerror(errno));
        have += n > 0 ? (size_t)n : 0;
    }
    text[have] = 0;
    bool good = false;
    if (strncmp(text, sealed, sizeof sealed - 1) == 0) {
        struct identity *b = identity_open(socket, why);
        good = b && identity_unseal(b, text, key, why);
        identity_close(b);
        if (!good)
            err_system(err, "cannot open the sealed key: %s", why);
    } else {
        good = secret_parse(key, text, have) == 0;
        if (!good)
            err_set(err, "the key is not %d hexadecimal digits", SECRET_TEXT - 1);
    }
    explicit_bzero(text, sizeof text);
    return good ? 0 : -1;
}
