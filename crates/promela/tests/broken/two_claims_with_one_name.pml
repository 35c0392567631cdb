// error: line 7: there is another claim with the name `p`
byte x;
active proctype a() {
  x = 1
}
ltl p { <> (x == 1) }
ltl p { [] (x < 2) }
