/* The function by which the C++ library hashes strings, here as source, so that what it reads is seen. */
#pragma GCC system_header
#include_next <bits/hash_bytes.h>
#ifndef QUOTIENT_HASH_BYTES
#define QUOTIENT_HASH_BYTES
namespace std {
__attribute__((weak)) size_t _Hash_bytes(const void *data, size_t size, size_t seed) {
  const unsigned char *bytes = static_cast<const unsigned char *>(data);
  size_t hash = seed ^ size;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ bytes[i]) * static_cast<size_t>(0x9E3779B97F4A7C15ull);
    hash ^= hash >> 29;
  }
  return hash;
}
}
#endif
