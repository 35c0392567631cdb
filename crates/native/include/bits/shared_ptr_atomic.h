/* Stands before the header of libstdc++ behind std::atomic<std::shared_ptr>. There a bit of the counter is a lock, and who has only
   read gives it back without an order, so that by the rules of the language the next who writes races with the read. What was
   meant is a lock: here every unlock releases. */
#pragma GCC system_header
#include <bits/atomic_base.h>
#pragma push_macro("fetch_sub")
#undef fetch_sub
#define fetch_sub(one, order) fetch_sub(one, (order) == memory_order_seq_cst ? memory_order_seq_cst : memory_order_release)
#include_next <bits/shared_ptr_atomic.h>
#pragma pop_macro("fetch_sub")
