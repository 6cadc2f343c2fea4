/* Credentials by libmunge.
 *
 * The library is opened at run time and by its versioned name, whose interface has not changed in
 * twenty years, instead of being linked: most machines on which dolly runs have no MUNGE, and a
 * program that is linked with a library does not even start without it. */
#include "remote/wire/identity.h"

#include <dlfcn.h>
#include <errno.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/lazy.h"

enum { IDENTITY_KEY_MAX = 4096 }; /* a sealed key, as text */

struct identity {
    void *library;
    __typeof__(munge_ctx_create) *create;
    __typeof__(munge_ctx_destroy) *destroy;
    __typeof__(munge_ctx_set) *set;
    __typeof__(munge_ctx_strerror) *context_error;
    __typeof__(munge_strerror) *error;
    __typeof__(munge_encode) *encode;
    __typeof__(munge_decode) *decode;
    /* Decoding changes its context. */
    munge_ctx_t maker, reader;
};

static bool identity_find(struct identity *b)
{
    const struct {
        const char *name;
        void *at;
    } wanted[] = {{"munge_ctx_create", &b->create}, {"munge_ctx_destroy", &b->destroy},
                  {"munge_ctx_set", &b->set},       {"munge_ctx_strerror", &b->context_error},
                  {"munge_strerror", &b->error},    {"munge_encode", &b->encode},
                  {"munge_decode", &b->decode}};

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(b->library, wanted[i].name);
        if (!found)
            return false;
        memcpy(wanted[i].at, &found, sizeof found);
    }
    return true;
}

static munge_ctx_t identity_context(struct identity *b, const char *socket)
{
    munge_ctx_t c = b->create();

    if (c && socket && b->set(c, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
        b->destroy(c);
        c = NULL;
    }
    return c;
}

struct identity *identity_open(const char *socket, char why[IDENTITY_WHY])
{
    struct identity *b = mem_zalloc(1, sizeof *b);

    const char *error;
    b->library = lazy_open("libmunge.so.2", &error);
    if (b->library && !identity_find(b)) {
        error = "libmunge lacks a function";
        b->destroy = NULL;
    } else if (b->library) {
        b->maker = identity_context(b, socket);
        b->reader = identity_context(b, socket);
        if (!b->maker || !b->reader)
            error = "libmunge does not take the name of the socket";
    }
    if (!error)
        return b;
    snprintf(why, IDENTITY_WHY, "%s", error);
    identity_close(b);
    return NULL;
}

void identity_close(struct identity *b)
{
    if (!b)
        return;
    if (b->maker)
        b->destroy(b->maker);
    if (b->reader)
        b->destroy(b->reader);
    if (b->library)
        dlclose(b->library);
    mem_free(b);
}

static void identity_why(struct identity *b, munge_ctx_t context, munge_err_t error,
                         char why[IDENTITY_WHY])
{
    const char *text = b->context_error(context);
    snprintf(why, IDENTITY_WHY, "MUNGE: %s", text ? text : b->error(error));
}

static char *identity_encode(struct identity *b, const void *payload, int length,
                             char why[IDENTITY_WHY])
{
    char *text = NULL;

    b->set(b->maker, MUNGE_OPT_UID_RESTRICTION, geteuid());
    munge_err_t error = b->encode(&text, b->maker, payload, length);
    if (error != EMUNGE_SUCCESS) {
        identity_why(b, b->maker, error, why);
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
    munge_err_t error = b->decode(text, b->reader, &payload, &length, &uid, &gid);
    bool same =
        error == EMUNGE_SUCCESS && length == sizeof want && memcmp(payload, want, sizeof want) == 0;
    if (error != EMUNGE_SUCCESS) {
        identity_why(b, b->reader, error, why);
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
    munge_err_t error = b->decode(text, b->reader, &payload, &length, &uid, &gid);
    bool opened = error == EMUNGE_SUCCESS || error == EMUNGE_CRED_REPLAYED ||
                  error == EMUNGE_CRED_EXPIRED || error == EMUNGE_CRED_REWOUND;
    bool good = opened && payload && uid == geteuid() && length == sizeof key->bytes;

    if (good)
        memcpy(key->bytes, payload, sizeof key->bytes);
    else if (opened)
        snprintf(why, IDENTITY_WHY, "MUNGE: not a key of this run");
    else
        identity_why(b, b->reader, error, why);
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
