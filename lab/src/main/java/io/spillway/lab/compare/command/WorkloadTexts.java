// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.lab.compare.workload.Workloads;
import java.util.ListResourceBundle;

/** What the help of commands says of workloads: those that are registered. */
public final class WorkloadTexts extends ListResourceBundle {
    /** Its name, by which picocli loads it. */
    static final String NAME = "io.spillway.lab.compare.command.WorkloadTexts";

    /** The key of all names. */
    static final String CHOICES = "workload.choices";

    @Override
    protected Object[][] getContents() {
        return new Object[][] {
            {CHOICES, Workloads.choices()},
        };
    }
}
