package io.spillway.bench.plan;

/**
 * A job and the hosts that it runs on. Bytes are bytes, rates are bytes a second; made by {@link
 * PlanInputBuilder}, which checks all. Immutable.
 *
 * @param dataBytes input of the job
 * @param mapOutputRatio bytes of map output, as stored, for a byte of input
 * @param outputRatio bytes of the job's output for a byte of input
 * @param splitBytes input of a map
 * @param reduces number of reducers; 0 is half the slots of the hosts that compute
 * @param copies of a map output in other nodes' memory
 * @param hosts hosts in all
 * @param cores of a host; a fraction where hosts share a machine
 * @param slots tasks at a time on a host
 * @param memoryBytes of a host
 * @param yarnBytes what YARN gives to containers on a host that computes
 * @param heapBytes of a task
 * @param linkRate of a host's link, each direction; infinite is no bound
 * @param diskRate of a host's own disk, reading and writing together; 0 is no disk
 * @param diskBytes free on a host's own disk
 * @param sharedRate of the shared file system from all hosts together; 0 is none
 * @param oneMachine whether all hosts are processes that share the cores of one machine
 * @param costs of the work
 */
public record PlanInput(
        long dataBytes,
        double mapOutputRatio,
        double outputRatio,
        long splitBytes,
        int reduces,
        int copies,
        int hosts,
        double cores,
        int slots,
        long memoryBytes,
        long yarnBytes,
        long heapBytes,
        double linkRate,
        double diskRate,
        double diskBytes,
        double sharedRate,
        boolean oneMachine,
        CpuCosts costs) {
    /** Bytes of all map outputs, as stored. */
    public double mapOutputBytes() {
        return dataBytes * mapOutputRatio;
    }

    /** Bytes of the job's output. */
    public double outputBytes() {
        return dataBytes * outputRatio;
    }

    /** Number of maps. */
    public long maps() {
        return Math.max(1, (dataBytes + splitBytes - 1) / splitBytes);
    }

    /** Whether input and output lie on the shared file system, else on the hosts' own disks. */
    public boolean hasShared() {
        return sharedRate > 0;
    }

    /** Whether hosts have disks of their own. */
    public boolean hasDisk() {
        return diskRate > 0;
    }

    /** Number of reducers, where so many hosts compute. */
    public int reducesOn(final int computing) {
        return reduces > 0 ? reduces : Math.max(1, (int) ((long) computing * slots / 2));
    }
}
