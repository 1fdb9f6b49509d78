/** Hosts on one machine: a network namespace each, on a bridge of their own. */
package io.spillway.lab.hosts;
