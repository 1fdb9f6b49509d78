/** The processes of a cluster: what they are, how they start, what they log. */
package io.spillway.lab.cluster.daemon;
