/* The functions of std::list that are in the C++ library as code, here as source, so that what they do is seen. */
#pragma GCC system_header
#include_next <bits/stl_list.h>
#ifndef QUOTIENT_STL_LIST
#define QUOTIENT_STL_LIST
#ifdef _GLIBCXX_RELEASE
namespace std {
namespace __detail {
/* Into the list, before another node. */
__attribute__((weak)) void _List_node_base::_M_hook(_List_node_base *const behind) _GLIBCXX_USE_NOEXCEPT {
  this->_M_next = behind;
  this->_M_prev = behind->_M_prev;
  behind->_M_prev->_M_next = this;
  behind->_M_prev = this;
}
__attribute__((weak)) void _List_node_base::_M_unhook() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *const after = this->_M_next, *const before = this->_M_prev;
  before->_M_next = after;
  after->_M_prev = before;
}
/* Nodes from `first` up to `last`, without it, go in front of this one. */
__attribute__((weak)) void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) _GLIBCXX_USE_NOEXCEPT {
  if (this == last) return;
  _List_node_base *const end = last->_M_prev, *const before = this->_M_prev;
  first->_M_prev->_M_next = last;
  last->_M_prev = first->_M_prev;
  before->_M_next = first;
  first->_M_prev = before;
  end->_M_next = this;
  this->_M_prev = end;
}
__attribute__((weak)) void _List_node_base::_M_reverse() _GLIBCXX_USE_NOEXCEPT {
  _List_node_base *node = this;
  do {
    _List_node_base *const after = node->_M_next;
    node->_M_next = node->_M_prev;
    node->_M_prev = after;
    node = after;
  } while (node != this);
}
/* The headers of two lists. */
__attribute__((weak)) void _List_node_base::swap(_List_node_base &a, _List_node_base &b) _GLIBCXX_USE_NOEXCEPT {
  const bool a_is_empty = a._M_next == &a, b_is_empty = b._M_next == &b;
  _List_node_base *const first = a._M_next, *const last = a._M_prev;
  if (b_is_empty) { a._M_next = a._M_prev = &a; } else {
    a._M_next = b._M_next;
    a._M_prev = b._M_prev;
    a._M_next->_M_prev = a._M_prev->_M_next = &a;
  }
  if (a_is_empty) { b._M_next = b._M_prev = &b; } else {
    b._M_next = first;
    b._M_prev = last;
    b._M_next->_M_prev = b._M_prev->_M_next = &b;
  }
}
}
}
#endif
#endif
