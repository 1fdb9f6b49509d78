/**
 * What the placement service tells of the cluster: its nodes with their fill, its jobs, and what it
 * has leased and refused; and the question by which other processes learn that.
 */
package io.spillway.placement.status;
