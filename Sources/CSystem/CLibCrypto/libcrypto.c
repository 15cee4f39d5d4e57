// RSA signatures by OpenSSL, opened when one is first needed (docs/decisions/0597).
//
// The functions are those of OpenSSL 3's EVP_PKEY-CTX; their types are declared here as the library's manual has them, so that a build needs none of its
// headers, and a system without it lacks nothing but speed.

#include "CLibCrypto.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

typedef struct evp_pkey_st EVP_PKEY;
typedef struct evp_pkey_ctx_st EVP_PKEY_CTX;
typedef struct evp_md_st EVP_MD;

static struct {
    int (*init_crypto)(uint64_t options, const void *settings);
    EVP_PKEY *(*read_key)(EVP_PKEY **key, const unsigned char **der, long length);
    int (*key_kind)(const EVP_PKEY *key);
    void (*free_key)(EVP_PKEY *key);
    EVP_PKEY_CTX *(*new_context)(EVP_PKEY *key, void *engine);
    void (*free_context)(EVP_PKEY_CTX *context);
    int (*begin)(EVP_PKEY_CTX *context);
    int (*set_padding)(EVP_PKEY_CTX *context, int padding);
    int (*set_digest)(EVP_PKEY_CTX *context, const EVP_MD *digest);
    const EVP_MD *(*sha256)(void);
    int (*sign)(
        EVP_PKEY_CTX *context, unsigned char *signature, size_t *length, const unsigned char *digest, size_t digest_length);
    void (*clear_errors)(void);
} lib;

static int is_open;

static void open_library(void) {
    // Local, as other libraries of cryptography in the program have functions of the same names.
    void *handle = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return;
    const struct {
        void **place;
        const char *name;
    } functions[] = {
        {(void **)&lib.init_crypto, "OPENSSL_init_crypto"},
        {(void **)&lib.read_key, "d2i_AutoPrivateKey"},
        {(void **)&lib.key_kind, "EVP_PKEY_get_id"},
        {(void **)&lib.free_key, "EVP_PKEY_free"},
        {(void **)&lib.new_context, "EVP_PKEY_CTX_new"},
        {(void **)&lib.free_context, "EVP_PKEY_CTX_free"},
        {(void **)&lib.begin, "EVP_PKEY_sign_init"},
        {(void **)&lib.set_padding, "EVP_PKEY_CTX_set_rsa_padding"},
        {(void **)&lib.set_digest, "EVP_PKEY_CTX_set_signature_md"},
        {(void **)&lib.sha256, "EVP_sha256"},
        {(void **)&lib.sign, "EVP_PKEY_sign"},
        {(void **)&lib.clear_errors, "ERR_clear_error"},
    };
    for (size_t number = 0; number < sizeof functions / sizeof *functions; number++) {
        *functions[number].place = dlsym(handle, functions[number].name);
        if (!*functions[number].place) return;
    }
    // OPENSSL_INIT_NO_ATEXIT: what threads still sign with is not taken from them while the process ends.
    is_open = lib.init_crypto(0x00080000, NULL) == 1;
}

countersign_rsa_key *countersign_rsa_open(const unsigned char *der, size_t length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    if (!is_open || length > 1 << 16) return NULL;
    EVP_PKEY *key = lib.read_key(NULL, &der, (long)length);
    lib.clear_errors();
    // EVP_PKEY_RSA
    if (key && lib.key_kind(key) != 6) {
        lib.free_key(key);
        return NULL;
    }
    return (countersign_rsa_key *)key;
}

int countersign_rsa_sign(
    countersign_rsa_key *key, const unsigned char *digest, unsigned char *signature, size_t *length) {
    EVP_PKEY_CTX *context = lib.new_context((EVP_PKEY *)key, NULL);
    // RSA_PKCS1_PADDING
    int is_signed = context && lib.begin(context) == 1 && lib.set_padding(context, 1) == 1 &&
                    lib.set_digest(context, lib.sha256()) == 1 && lib.sign(context, signature, length, digest, 32) == 1;
    if (context) lib.free_context(context);
    // Others who use the library on this thread look at its list of errors.
    if (!is_signed) lib.clear_errors();
    return is_signed;
}

void countersign_rsa_close(countersign_rsa_key *key) {
    if (key) lib.free_key((EVP_PKEY *)key);
}

#else

countersign_rsa_key *countersign_rsa_open(const unsigned char *der, size_t length) { return 0; }
int countersign_rsa_sign(
    countersign_rsa_key *key, const unsigned char *digest, unsigned char *signature, size_t *length) {
    return 0;
}
void countersign_rsa_close(countersign_rsa_key *key) {}

#endif
