/** The description of the machine, the build and the place that figures are of. */
package io.spillway.lab.report;
