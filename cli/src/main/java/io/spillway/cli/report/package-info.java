/** Tables, plots, JSON and the description of the machine. */
package io.spillway.cli.report;
