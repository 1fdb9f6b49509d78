/** The three plug-ins, by the names that a cluster's configuration uses. */
package io.spillway.hadoop;
