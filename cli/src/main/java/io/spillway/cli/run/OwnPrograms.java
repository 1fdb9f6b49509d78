// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import java.nio.file.Path;
import java.util.List;

/** A service: programs that a command runs by name, beside Hadoop's examples. */
public interface OwnPrograms {
    /** Their names. */
    List<String> names();

    /** The program of one of the names. */
    JobSpec.Program program(String name);

    /** The jar that holds them. */
    Path jar();
}
