/* look.h -- what a method looks like: the same colour and point in all figures of all experiments. */
#ifndef SP_FIGURES_LOOK_H
#define SP_FIGURES_LOOK_H

#include "core/plan/plan.h"

typedef struct sp_look {
    unsigned colour; /* 0xRRGGBB */
    unsigned shape;  /* gnuplot's number of a point: 1 plus, 2 cross, 3 star; from 5 on odd: filled, one less: open */
    unsigned dash;   /* of the line: 0 solid, 1, 2, ... */
} sp_look;

/* Methods of a kind share the point and differ in colour; what is not private is black. False for a method that has no
 * look of its own. */
bool sp_look_of_method(const char *algorithm, sp_look *);
/* Labels of one method share its colour: the one that is named as the method is (where there is none, the first that is
 * private) has its point, the others in the order of the plan the open point, then crosses and dashes. Methods without
 * a look of their own are grey or brown, told apart by the point. */
sp_look sp_look_of_label(const sp_plan *, const char *label);
/* The colour for words: dark enough to be read on white. */
unsigned sp_look_ink(unsigned colour);

#endif
