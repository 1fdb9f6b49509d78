/** What runs on Hadoop's class path: workloads and tools. */
package io.spillway.lab.workload;
