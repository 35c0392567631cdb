/* Blocks of alloca are told of, so that who reads what nobody has written is seen. */
#ifdef __cplusplus
extern "C"
#else
extern
#endif
void *quotient_declared_block(void *, __SIZE_TYPE__);
#define __builtin_alloca(size) \
  __extension__({ \
    __SIZE_TYPE__ quotient_size = (size); \
    quotient_declared_block(__builtin_alloca(quotient_size), quotient_size); \
  })
