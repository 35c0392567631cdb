// A warehouse with nested typedefs and arrays of structures: clerks reserve stock for orders item by
// item and either ship an order or, when it cannot be completed, put everything back.
// Checked: stock plus reserved plus shipped items is constant and nothing is oversold (assertions), all
// orders are settled in the end.
//
// expect verdict=holds
// expect por=off states=51709 matched=47235 transitions=98944 errors=0
// expect por=on states=35179 matched=9963 transitions=45142 errors=0

#define SHELVES 2
#define ORDERS  2

mtype = { pending, shipped, cancelled };

typedef Shelf { byte stock; byte reserved; byte sold };
typedef Item { byte shelf; unsigned quantity : 2 };
typedef Order { Item item[2]; mtype status };

Shelf shelf[SHELVES];
Order order[ORDERS];
byte settled;

inline audit(s, total)
{
   assert(shelf[s].stock + shelf[s].reserved + shelf[s].sold == total)
}

proctype clerk(byte n)
{
   byte i, s;
   bool got[2];

   for (i : 0 .. 1) {
      s = order[n].item[i].shelf;
      atomic {
         if
         :: shelf[s].stock >= order[n].item[i].quantity ->
            shelf[s].stock = shelf[s].stock - order[n].item[i].quantity;
            shelf[s].reserved = shelf[s].reserved + order[n].item[i].quantity;
            got[i] = true
         :: else
         fi
      };
      audit(0, 3);
      audit(1, 2)
   };
   for (i : 0 .. 1) {
      s = order[n].item[i].shelf;
      if
      :: got[i] ->
         d_step {
            shelf[s].reserved = shelf[s].reserved - order[n].item[i].quantity;
            if
            :: got[0] && got[1] -> shelf[s].sold = shelf[s].sold + order[n].item[i].quantity
            :: else -> shelf[s].stock = shelf[s].stock + order[n].item[i].quantity
            fi
         }
      :: else
      fi
   };
   order[n].status = (got[0] && got[1] -> shipped : cancelled);
   settled++
}

init {
   byte n;

   atomic {
      shelf[0].stock = 3;
      shelf[1].stock = 2;
      for (n : 0 .. ORDERS - 1) {
         order[n].status = pending;
         order[n].item[0].shelf = n % SHELVES;
         order[n].item[1].shelf = (n + 1) % SHELVES;
      };
      n = 0
   };
   for (n : 0 .. ORDERS - 1) {                   /* any quantities of 1 to 3 */
      if
      :: order[n].item[0].quantity = 1
      :: order[n].item[0].quantity = 2
      :: order[n].item[0].quantity = 3
      fi;
      if
      :: order[n].item[1].quantity = 1
      :: order[n].item[1].quantity = 2
      fi
   };
   atomic {
      for (n : 0 .. ORDERS - 1) {
         run clerk(n)
      }
   };
   (settled == ORDERS);
   assert(order[0].status != pending && order[1].status != pending);
   assert(shelf[0].reserved == 0 && shelf[1].reserved == 0)
}
