// SPDX-License-Identifier: Apache-2.0
package io.spillway.report;

/**
 * The figures of the shuffle report. The framework sums each over the tasks of a job; it is a field
 * of the task's log line as well. Times are in milliseconds, sizes in bytes.
 */
public enum ShuffleCounter {
    /** Bytes of spills kept in memory. */
    SPILL_MEMORY_BYTES,
    /** Bytes of spills kept in NVM. */
    SPILL_NVM_BYTES,
    /** Bytes of spills kept in memory that stood for NVM: what was measured is an emulation. */
    SPILL_EMULATED_NVM_BYTES,
    /** Bytes of spills written to local disk. */
    SPILL_DISK_BYTES,
    /** Bytes of spills written to the shared file system. */
    SPILL_LUSTRE_BYTES,
    /** Bytes of map output left in memory or NVM. */
    OUTPUT_MEMORY_BYTES,
    /** Bytes of map output left in memory that stood for NVM. */
    OUTPUT_EMULATED_NVM_BYTES,
    /** Bytes of map output left on local disk. */
    OUTPUT_DISK_BYTES,
    /** Bytes of map output left on the shared file system. */
    OUTPUT_LUSTRE_BYTES,
    /** Bytes of map output left in the memory of other nodes. */
    OUTPUT_REMOTE_BYTES,
    /** Map outputs that other nodes did not take, and that their maps' hosts stored instead. */
    PLACEMENT_FALLBACKS,
    /**
     * Map outputs that were to go to other nodes and got no place there, for want of room, because
     * of a quota, or as no node was reached: their maps' hosts stored them.
     */
    PLACEMENT_REFUSED,
    /** Time in the job's record reader, as sampled. */
    READ_MILLIS,
    /** Time in the job's map(), as sampled. */
    MAP_MILLIS,
    /** Time in taking records into the sort buffer, as sampled. */
    COLLECT_MILLIS,
    /** Time in sorting. */
    SORT_MILLIS,
    /** Time in writing spills (without the sort). */
    SPILL_MILLIS,
    /** Time in merging spills into the map output. */
    MERGE_MILLIS,
    /** Of gathering and merging map output, the time spent waiting for other nodes to take it. */
    REMOTE_WAIT_MILLIS,
    /** Bytes fetched through Spillway's transport. */
    FETCH_SPILLWAY_BYTES,
    /** Of those, the bytes that came over ucx. */
    FETCH_UCX_BYTES,
    /** Of those, the bytes that came over mpi. */
    FETCH_MPI_BYTES,
    /** Of those, the bytes that were read through the shared file system. */
    FETCH_SHAREDFS_BYTES,
    /** The times of all pieces that were read so, from request to answer. */
    FETCH_SHAREDFS_MILLIS,
    /** Map outputs that reducers opened on the shared file system, or looked for in vain. */
    FETCH_SHAREDFS_OPENS,
    /** Changes between the shared file system and a node, summed over nodes. */
    FETCH_SHAREDFS_SWITCHES,
    /** Pieces that went the other way to measure it. */
    FETCH_SHAREDFS_PROBES,
    /** How often another transport than tcp was to be used, and tcp had to do. */
    TRANSPORT_FALLBACKS,
    /** Bytes fetched over stock HTTP. */
    FETCH_HTTP_BYTES,
    /** Bytes fetched over stock HTTP that did not fit in memory and were put on local disk. */
    FETCH_HTTP_DISK_BYTES,
    /** Bytes fetched before the last map ended: the overlap. */
    FETCH_OVERLAPPED_BYTES,
    /** Time the merge waited for data. */
    STALL_MILLIS,
    /** Of that, the time in which the data was asked for and on its way. */
    STALL_FLIGHT_MILLIS,
    /** Of that, the time in which there was no memory to ask for it. */
    STALL_BUDGET_MILLIS,
    /** Of that, the time in which its node or map output could not be had. */
    STALL_SOURCE_MILLIS,
    /** Time from the last map's completion event to the first record handed to reduce(). */
    FIRST_RECORD_MILLIS,
    /** Bytes of runs that reducers wrote to tiers before local disk, as keys had no room. */
    MERGE_TIER_BYTES,
    /** Bytes of runs that reducers wrote to local disk, as keys had no room in memory. */
    MERGE_DISK_BYTES,
    /** Reducers' peak use of their shuffle buffer, summed over reducers. */
    PEAK_BUFFER_BYTES,
    /** Streams whose source failed while their records were merged, and that went on with it. */
    STREAMS_RESUMED,
    /** Maps of which the merge went on with another attempt than the one it had begun with. */
    ATTEMPT_FAILOVERS,
    /** Pieces of map output that were not what the map wrote, when they were fetched. */
    DAMAGED_PIECES,
    /** Tasks that fell back to stock code as a whole. */
    STOCK_FALLBACKS
}
