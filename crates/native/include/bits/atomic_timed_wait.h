/* Stands in for the header of libstdc++ behind waiting with a limit on time. The time can be over at every moment, so such
   a wait asks once: that it waits and then succeeds is the execution in which it asks later. */
#ifndef _GLIBCXX_ATOMIC_TIMED_WAIT_H
#define _GLIBCXX_ATOMIC_TIMED_WAIT_H 1

#pragma GCC system_header

#include <bits/atomic_wait.h>

#if __cplusplus > 201703L
#include <bits/chrono.h>

namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
  template<typename _Tp, typename _ValFn, typename _Time>
    bool __atomic_wait_address_until_v(const _Tp *, _Tp &&__old, _ValFn &&__vfn, const _Time &) noexcept
    { return !__detail::__atomic_compare(__old, __vfn()); }

  template<typename _Tp, typename _ValFn, typename _Time>
    bool __atomic_wait_address_for_v(const _Tp *, _Tp &&__old, _ValFn &&__vfn, const _Time &) noexcept
    { return !__detail::__atomic_compare(__old, __vfn()); }

  template<typename _Tp, typename _Pred, typename _Time>
    bool __atomic_wait_address_until(const _Tp *, _Pred __pred, const _Time &) noexcept { return __pred(); }

  template<typename _Tp, typename _Pred, typename _Time>
    bool __atomic_wait_address_for(const _Tp *, _Pred __pred, const _Time &) noexcept { return __pred(); }

  template<typename _Pred, typename _Time>
    bool __atomic_wait_address_until_bare(const __detail::__platform_wait_t *, _Pred __pred, const _Time &) noexcept
    { return __pred(); }

  template<typename _Pred, typename _Time>
    bool __atomic_wait_address_for_bare(const __detail::__platform_wait_t *, _Pred __pred, const _Time &) noexcept
    { return __pred(); }
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
#endif
