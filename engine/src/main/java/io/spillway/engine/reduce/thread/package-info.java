/** The threads of a shuffle, its clock, and the ways in which its threads wait. */
package io.spillway.engine.reduce.thread;
