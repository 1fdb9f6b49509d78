/** Compares engines: the same job, the same data, outputs compared before times. */
package io.spillway.lab.compare;
