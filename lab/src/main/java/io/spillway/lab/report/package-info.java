/** Descriptions of the machine, the build and the cluster of a measurement. */
package io.spillway.lab.report;
