/** Threads that end with their process, and rests between tries. */
package io.spillway.thread;
