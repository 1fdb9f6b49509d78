/** The description of the machine that figures are of. */
package io.spillway.lab.report;
