// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.RateConverter;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.plan.model.PlanInput;
import picocli.CommandLine.Option;

/** What the hosts are: options of plan. */
final class HostOptions {
    @Option(
            names = "--hosts",
            paramLabel = "N",
            defaultValue = "0",
            description = "Hosts in all. All are alike.")
    private int hosts;

    @Option(
            names = "--cores",
            paramLabel = "N",
            defaultValue = "16",
            description = "Cores of a host (default: ${DEFAULT-VALUE}).")
    private int cores;

    @Option(
            names = "--slots",
            paramLabel = "N",
            defaultValue = "0",
            description = "Tasks at a time on a host (default: two a core).")
    private int slots;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "0",
            description = "Memory of a host, as 128g.")
    private long memory;

    @Option(
            names = "--yarn-memory",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "0",
            description =
                    "yarn.nodemanager.resource.memory-mb of a host that computes (default: what its"
                            + " slots need, one and a half heaps each).")
    private long yarn;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "1g",
            description = "Heap of a task (default: ${DEFAULT-VALUE}).")
    private long heap;

    @Option(
            names = "--link",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description =
                    "What a host's link carries, each direction: bits a second, as 100gbit, or"
                            + " bytes a second, as 3g.")
    private Double link;

    @Option(
            names = "--disk",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description =
                    "What a host's own disks take, reading and writing together, as 500m; none"
                            + " where hosts have no disk.")
    private Double disk;

    @Option(
            names = "--disk-space",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "What is free on a host's own disks (default: enough).")
    private Long diskSpace;

    @Option(
            names = "--shared-disk",
            paramLabel = "RATE",
            converter = RateConverter.class,
            description =
                    "What the shared file system gives all hosts together. Input and output lie"
                            + " there then, else on the hosts' own disks.")
    private Double shared;

    /** What was given. */
    PlanInput.Hosts hosts() {
        if (link == null) {
            throw new BadInputException("--link: expected a rate, as 100gbit");
        }
        return new PlanInput.Hosts(
                hosts,
                cores,
                slots,
                memory,
                yarn,
                heap,
                link,
                disk == null ? 0 : disk,
                diskSpace == null ? Double.POSITIVE_INFINITY : diskSpace,
                shared == null ? 0 : shared,
                false);
    }
}
