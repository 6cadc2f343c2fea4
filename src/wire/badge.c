/* Badges by libmunge.
 *
 * The library is opened at run time and by its versioned name, whose interface has not changed in
 * twenty years, instead of being linked: most machines on which dolly runs have no MUNGE, and a
 * program that is linked with a library does not even start without it. */
#include "wire/badge.h"

#include <dlfcn.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

struct badge {
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

static bool badge_find(struct badge *b)
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

static munge_ctx_t badge_context(struct badge *b, const char *socket)
{
    munge_ctx_t c = b->create();

    if (c && socket && b->set(c, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
        b->destroy(c);
        c = NULL;
    }
    return c;
}

struct badge *badge_open(const char *socket, char why[BADGE_WHY])
{
    struct badge *b = mem_zalloc(1, sizeof *b);

    b->library = dlopen("libmunge.so.2", RTLD_NOW | RTLD_LOCAL);
    const char *error = b->library ? NULL : dlerror();
    if (b->library && !badge_find(b)) {
        error = "libmunge lacks a function";
        b->destroy = NULL;
    } else if (b->library) {
        b->maker = badge_context(b, socket);
        b->reader = badge_context(b, socket);
        if (!b->maker || !b->reader)
            error = "libmunge does not take the name of the socket";
    }
    if (!error)
        return b;
    snprintf(why, BADGE_WHY, "%s", error);
    badge_close(b);
    return NULL;
}

void badge_close(struct badge *b)
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

static void badge_why(struct badge *b, munge_ctx_t context, munge_err_t error, char why[BADGE_WHY])
{
    const char *text = b->context_error(context);
    snprintf(why, BADGE_WHY, "MUNGE: %s", text ? text : b->error(error));
}

char *badge_make(struct badge *b, const unsigned char number[TLS_NUMBER], char why[BADGE_WHY])
{
    char *text = NULL;

    b->set(b->maker, MUNGE_OPT_UID_RESTRICTION, geteuid());
    munge_err_t error = b->encode(&text, b->maker, number, TLS_NUMBER);
    if (error != EMUNGE_SUCCESS) {
        badge_why(b, b->maker, error, why);
        return NULL;
    }
    char *badge = mem_strdup(text);
    free(text);
    return badge;
}

bool badge_check(struct badge *b, const char *text, const unsigned char number[TLS_NUMBER],
                 char why[BADGE_WHY], bool *wrong)
{
    void *payload = NULL;
    int length = 0;
    uid_t uid = (uid_t)-1;
    gid_t gid;

    *wrong = true;
    if (!*text) {
        snprintf(why, BADGE_WHY, "it has no credential of MUNGE");
        return false;
    }
    munge_err_t error = b->decode(text, b->reader, &payload, &length, &uid, &gid);
    bool same =
        error == EMUNGE_SUCCESS && length == TLS_NUMBER && memcmp(payload, number, TLS_NUMBER) == 0;
    if (error != EMUNGE_SUCCESS) {
        badge_why(b, b->reader, error, why);
        *wrong = error >= EMUNGE_BAD_CRED;
    } else if (uid != geteuid()) {
        snprintf(why, BADGE_WHY, "MUNGE: it is of another user (%u)", (unsigned)uid);
    } else if (!same) {
        snprintf(why, BADGE_WHY, "MUNGE: the credential is of another conversation");
    }
    free(payload);
    return same && uid == geteuid();
}
