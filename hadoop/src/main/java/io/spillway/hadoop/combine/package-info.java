/** Running the job's combiner over serialized records, on either side of the shuffle. */
package io.spillway.hadoop.combine;
