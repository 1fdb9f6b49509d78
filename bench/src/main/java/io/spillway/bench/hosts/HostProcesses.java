package io.spillway.bench.hosts;

import java.util.Optional;

/** Remembers processes by name, beyond the life of the one that started them. Thread-safe. */
public interface HostProcesses {
    /** Keeps a process's id under a name. */
    void remember(String name, long pid);

    /** The process of a name, where it is alive and provably the one that was remembered. */
    Optional<Long> pid(String name);
}
