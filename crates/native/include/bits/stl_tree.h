/* The functions of std::map and std::set that are in the C++ library as code, here as source, so that what they do is seen:
   finding the next and the previous node, and keeping a red-black tree balanced. */
#pragma GCC system_header
#include_next <bits/stl_tree.h>
#ifndef QUOTIENT_STL_TREE
#define QUOTIENT_STL_TREE
#ifdef _GLIBCXX_RELEASE
namespace quotient_tree {
typedef std::_Rb_tree_node_base node;

inline node *next(node *n) {
  if (n->_M_right) {
    n = n->_M_right;
    while (n->_M_left) n = n->_M_left;
    return n;
  }
  node *above = n->_M_parent;
  while (n == above->_M_right) { n = above; above = above->_M_parent; }
  /* The node above the root is the header, to whose right the root may be as well. */
  return n->_M_right == above ? n : above;
}

inline node *previous(node *n) {
  /* The header is red, and its parent's parent is itself; before it is the last node. */
  if (n->_M_color == std::_S_red && n->_M_parent->_M_parent == n) return n->_M_right;
  if (n->_M_left) {
    n = n->_M_left;
    while (n->_M_right) n = n->_M_right;
    return n;
  }
  node *above = n->_M_parent;
  while (n == above->_M_left) { n = above; above = above->_M_parent; }
  return above;
}

/* Puts another node, or none, where a node is. */
inline void replace(node *old, node *other, node &header) {
  node *above = old->_M_parent;
  if (above == &header) header._M_parent = other;
  else if (above->_M_left == old) above->_M_left = other;
  else above->_M_right = other;
  if (other) other->_M_parent = above;
}

inline void rotate(node *n, bool left, node &header) {
  node *up = left ? n->_M_right : n->_M_left;
  node *inner = left ? up->_M_left : up->_M_right;
  replace(n, up, header);
  if (left) { n->_M_right = inner; up->_M_left = n; } else { n->_M_left = inner; up->_M_right = n; }
  if (inner) inner->_M_parent = n;
  n->_M_parent = up;
}

inline bool is_red(const node *n) { return n && n->_M_color == std::_S_red; }

inline void insert(bool left, node *n, node *above, node &header) {
  n->_M_parent = above;
  n->_M_left = n->_M_right = 0;
  n->_M_color = std::_S_red;
  if (above == &header) {
    header._M_parent = header._M_left = header._M_right = n;
  } else if (left) {
    above->_M_left = n;
    if (header._M_left == above) header._M_left = n;
  } else {
    above->_M_right = n;
    if (header._M_right == above) header._M_right = n;
  }
  while (n != header._M_parent && is_red(n->_M_parent)) {
    node *parent = n->_M_parent, *grand = parent->_M_parent;
    bool on_left = grand->_M_left == parent;
    node *uncle = on_left ? grand->_M_right : grand->_M_left;
    if (is_red(uncle)) {
      parent->_M_color = uncle->_M_color = std::_S_black;
      grand->_M_color = std::_S_red;
      n = grand;
      continue;
    }
    if (n == (on_left ? parent->_M_right : parent->_M_left)) {
      rotate(parent, on_left, header);
      n = parent;
      parent = n->_M_parent;
    }
    parent->_M_color = std::_S_black;
    grand->_M_color = std::_S_red;
    rotate(grand, !on_left, header);
  }
  header._M_parent->_M_color = std::_S_black;
}

inline node *erase(node *gone, node &header) {
  /* The ends of the whole sequence. */
  if (header._M_left == gone) {
    node *first = gone->_M_parent;
    if (gone->_M_right) { first = gone->_M_right; while (first->_M_left) first = first->_M_left; }
    header._M_left = first;
  }
  if (header._M_right == gone) {
    node *last = gone->_M_parent;
    if (gone->_M_left) { last = gone->_M_left; while (last->_M_right) last = last->_M_right; }
    header._M_right = last;
  }
  /* `n` comes where a black node may be missing below `above`. */
  node *n, *above;
  bool missing;
  if (!gone->_M_left || !gone->_M_right) {
    n = gone->_M_left ? gone->_M_left : gone->_M_right;
    above = gone->_M_parent;
    missing = gone->_M_color == std::_S_black;
    replace(gone, n, header);
  } else {
    node *heir = gone->_M_right;
    while (heir->_M_left) heir = heir->_M_left;
    missing = heir->_M_color == std::_S_black;
    n = heir->_M_right;
    if (heir->_M_parent == gone) {
      above = heir;
    } else {
      above = heir->_M_parent;
      replace(heir, n, header);
      heir->_M_right = gone->_M_right;
      heir->_M_right->_M_parent = heir;
    }
    replace(gone, heir, header);
    heir->_M_left = gone->_M_left;
    heir->_M_left->_M_parent = heir;
    heir->_M_color = gone->_M_color;
  }
  while (missing && n != header._M_parent && !is_red(n)) {
    bool on_left = above->_M_left == n;
    node *other = on_left ? above->_M_right : above->_M_left;
    if (is_red(other)) {
      other->_M_color = std::_S_black;
      above->_M_color = std::_S_red;
      rotate(above, on_left, header);
      other = on_left ? above->_M_right : above->_M_left;
    }
    if (!is_red(other->_M_left) && !is_red(other->_M_right)) {
      other->_M_color = std::_S_red;
      n = above;
      above = n->_M_parent;
      continue;
    }
    if (!is_red(on_left ? other->_M_right : other->_M_left)) {
      (on_left ? other->_M_left : other->_M_right)->_M_color = std::_S_black;
      other->_M_color = std::_S_red;
      rotate(other, !on_left, header);
      other = on_left ? above->_M_right : above->_M_left;
    }
    other->_M_color = above->_M_color;
    above->_M_color = std::_S_black;
    (on_left ? other->_M_right : other->_M_left)->_M_color = std::_S_black;
    rotate(above, on_left, header);
    n = header._M_parent;
    break;
  }
  if (n) n->_M_color = std::_S_black;
  return gone;
}
}

namespace std {
__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *n) throw() { return quotient_tree::next(n); }
__attribute__((weak)) const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *n) throw() {
  return quotient_tree::next(const_cast<_Rb_tree_node_base *>(n));
}
__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *n) throw() {
  return quotient_tree::previous(n);
}
__attribute__((weak)) const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *n) throw() {
  return quotient_tree::previous(const_cast<_Rb_tree_node_base *>(n));
}
__attribute__((weak)) void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base *n, _Rb_tree_node_base *above,
                                                         _Rb_tree_node_base &header) throw() {
  quotient_tree::insert(left, n, above, header);
}
__attribute__((weak)) _Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const n,
                                                                        _Rb_tree_node_base &header) throw() {
  return quotient_tree::erase(n, header);
}
}
#endif
#endif
