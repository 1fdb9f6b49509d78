/** How a task's shuffle report reaches the job: shared by the map and the reduce side. */
package io.spillway.hadoop.report;
