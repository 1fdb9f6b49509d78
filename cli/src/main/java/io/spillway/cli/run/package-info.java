/** Submits jobs, follows them, and reads their figures from the job history. */
package io.spillway.cli.run;
