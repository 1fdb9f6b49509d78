/** Where a command finds or starts the Hadoop that it runs jobs on. */
package io.spillway.lab.place;
