// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import io.spillway.conf.Setting.Audience;
import io.spillway.conf.Setting.Reader;
import java.util.ArrayList;
import java.util.List;

/** Where a module declares its settings; keeps them in their order. For static initializers. */
public final class SettingDeclarations {
    private final List<Setting<?>> declared = new ArrayList<>();

    /** A setting for the operator of the nodes. */
    public Declaration site(final String name, final Reader... readers) {
        return new Declaration(name, Audience.SITE, List.of(readers), declared);
    }

    /** A setting that may differ from job to job. */
    public Declaration job(final String name, final Reader... readers) {
        return new Declaration(name, Audience.JOB, List.of(readers), declared);
    }

    /** A setting whose default is right but for measurements. */
    public Declaration experiment(final String name, final Reader... readers) {
        return new Declaration(name, Audience.EXPERIMENT, List.of(readers), declared);
    }

    /** Those that were declared. */
    public List<Setting<?>> all() {
        return List.copyOf(declared);
    }
}
