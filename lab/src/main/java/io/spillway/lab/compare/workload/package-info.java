/** The jobs that engines are compared by, and the registry that knows them. */
package io.spillway.lab.compare.workload;
