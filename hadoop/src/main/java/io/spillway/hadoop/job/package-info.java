/** What both sides of a job's shuffle have to agree on, from its configuration alone. */
package io.spillway.hadoop.job;
