/**
 * What very many tasks cost one node: {@link io.spillway.lab.load.LoadTasks} does over tcp what
 * maps and reducers do, {@link io.spillway.lab.load.LoadNode} serves as a memory node and as a host
 * of maps do, each in a process of its own.
 */
package io.spillway.lab.load;
