#ifndef COUNTERSIGN_LIBCRYPTO_H
#define COUNTERSIGN_LIBCRYPTO_H

#include <stddef.h>

/// An RSA key that the system's libcrypto (OpenSSL 3) has opened. Many threads may sign with one at once.
typedef struct countersign_rsa_key countersign_rsa_key;

/// Opens a private key.
///
/// The library is opened by the first call, and stays open. Nothing is linked to it.
/// \param der PKCS #1 or PKCS #8 in DER.
/// \returns null where there is no such library, or it does not take the key for one of RSA.
countersign_rsa_key *countersign_rsa_open(const unsigned char *der, size_t length);

/// Signs the SHA-256 digest of a message: RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2).
/// \param digest 32 bytes.
/// \param signature at least as many bytes as the modulus has.
/// \param length of `signature`; afterwards, how many bytes were written.
/// \returns 1, or 0 where the library failed.
int countersign_rsa_sign(
    countersign_rsa_key *key, const unsigned char *digest, unsigned char *signature, size_t *length);

/// Forgets a key, and overwrites what the library keeps of it. Nothing may sign with it any more.
void countersign_rsa_close(countersign_rsa_key *key);

#endif
