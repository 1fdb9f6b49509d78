/** What a node knows of Hadoop MapReduce: how it spells jobs and outputs, and where outputs lie. */
package io.spillway.node.mapreduce;
