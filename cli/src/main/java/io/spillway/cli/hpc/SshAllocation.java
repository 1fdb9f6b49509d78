// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.option.ShellWord;
import java.util.ArrayList;
import java.util.List;

/**
 * Hosts that ssh reaches without a password: a job of PBS, or a list.
 *
 * @param id of the job, or the list's name
 * @param hosts of the list
 */
record SshAllocation(String id, List<String> hosts) implements Allocation {
    SshAllocation {
        id = id.replaceAll("[^A-Za-z0-9._-]", "-");
        hosts = List.copyOf(hosts);
    }

    @Override
    public List<List<String>> onEach(final List<String> command) {
        return hosts.stream().map(host -> onHost(host, command)).toList();
    }

    private static List<String> onHost(final String host, final List<String> command) {
        final List<String> words = new ArrayList<>(command);
        words.add(host);
        return List.of(
                "ssh", "-oBatchMode=yes", "-oServerAliveInterval=15", host, ShellWord.line(words));
    }

    @Override
    public void terminate(final SessionFolder session) {
        onEach(List.of(session.agent(), "stop", session.path())).parallelStream()
                .forEach(Programs::attempt);
    }

    @Override
    public boolean isServing(final SessionFolder session) {
        return session.ended() < hosts.size();
    }
}
