/* libssl.h - OpenSSL, loaded when the first connection is made (lazy.h).
 *
 * Its functions are members of `libssl`; its macros are used as usual. */
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/err.h"
#include "base/os/lazy.h"

/* clang-format off */
#define LIBSSL_FUNCTIONS(F) \
    F(BIO_clear_flags) F(BIO_free) F(BIO_get_data) F(BIO_get_new_index) F(BIO_meth_free) \
    F(BIO_meth_new) F(BIO_meth_set_ctrl) F(BIO_meth_set_read) F(BIO_meth_set_write) F(BIO_new) \
    F(BIO_set_data) F(BIO_set_flags) F(BIO_set_init) F(ERR_clear_error) F(ERR_peek_error) \
    F(ERR_reason_error_string) F(EVP_MD_get_type) F(SSL_CIPHER_find) F(SSL_CTX_ctrl) \
    F(SSL_CTX_free) F(SSL_CTX_get_ex_data) F(SSL_CTX_new) F(SSL_CTX_set_ciphersuites) \
    F(SSL_CTX_set_ex_data) F(SSL_CTX_set_num_tickets) F(SSL_CTX_set_options) \
    F(SSL_CTX_set_psk_find_session_callback) F(SSL_CTX_set_psk_use_session_callback) \
    F(SSL_CTX_set_verify) F(SSL_SESSION_free) F(SSL_SESSION_new) F(SSL_SESSION_set1_master_key) \
    F(SSL_SESSION_set_cipher) F(SSL_SESSION_set_protocol_version) F(SSL_do_handshake) \
    F(SSL_export_keying_material) F(SSL_free) F(SSL_get_SSL_CTX) F(SSL_get_error) \
    F(SSL_get_session) F(SSL_new) F(SSL_read_ex) F(SSL_session_reused) F(SSL_set_accept_state) \
    F(SSL_set_bio) F(SSL_set_connect_state) F(SSL_set_default_read_buffer_len) F(SSL_shutdown) \
    F(SSL_write_ex) F(TLS_client_method) F(TLS_server_method)
/* clang-format on */

struct libssl {
    LIBSSL_FUNCTIONS(LAZY_MEMBER)
};
extern struct libssl libssl;

/* Loads OpenSSL. Call before any function of it. Returns 0, or -1 with *err if it is not installed.
 */
int libssl_load(struct err *err);

#ifndef DOLLY_STATIC /* which links the functions themselves */
/* Those that macros of OpenSSL call. */
#define BIO_clear_flags libssl.BIO_clear_flags
#define BIO_set_flags libssl.BIO_set_flags
#define SSL_CTX_ctrl libssl.SSL_CTX_ctrl
#define SSL_CTX_get_ex_data libssl.SSL_CTX_get_ex_data
#define SSL_CTX_set_ex_data libssl.SSL_CTX_set_ex_data
#endif
