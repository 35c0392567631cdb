// The sliding tile puzzle on a 2 x 3 board: 5 tiles and a blank. A move swaps the blank with a
// neighbour, in one d_step. Checked: the parity of the tile order is invariant when it is combined with
// the position of the blank (assertion), so only half of all 720 arrangements can be reached.
//
// expect verdict=holds
// expect por=off states=8661 matched=1801 transitions=10462 errors=0
// expect por=on states=8661 matched=1801 transitions=10462 errors=0

#define ROWS 2
#define COLS 3
#define CELLS 6
#define BLANK 0

byte board[CELLS];
byte blank;

/* number of pairs of tiles in the wrong order, modulo 2, plus the blank's row and column */
inline check_parity()
{
   parity = blank / COLS + blank % COLS;
   for (i : 0 .. CELLS - 2) {
      for (j : i + 1 .. CELLS - 1) {
         parity = parity + (board[i] > board[j])
      }
   };
   assert(parity % 2 == 0);
   parity = 0;
   i = 0;
   j = 0
}

init {
   byte i, j, to;
   int parity;
   bool legal;

   for (i in board) {
      board[i] = i                       /* the blank, then the tiles in order */
   };
   i = 0;

   do
   :: select (to : 0 .. CELLS - 1);
      assert(to < CELLS);
      d_step {
         legal = (to / COLS == blank / COLS && (to == blank + 1 || blank == to + 1)) ||
                 (to == blank + COLS || blank == to + COLS);
         if
         :: legal ->
            board[blank] = board[to];
            board[to] = BLANK;
            blank = to
         :: else
         fi;
         legal = false;
         to = 0;
         check_parity()
      }
   od
}
