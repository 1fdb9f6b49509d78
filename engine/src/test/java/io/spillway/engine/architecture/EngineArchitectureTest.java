// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The engine serves any framework: none of MapReduce's types is in it. */
class EngineArchitectureTest {
    private static final String[] FRAMEWORKS = {
        "org.apache.hadoop.mapred..",
        "org.apache.hadoop.mapreduce..",
        "org.apache.hadoop.yarn..",
        "io.spillway.hadoop..",
        "io.spillway.node..",
        "io.spillway.transport.tcp..",
        "io.spillway.transport.ucx.."
    };

    private final JavaClasses engine =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.spillway.engine");

    @Test
    void knowsNoFramework() {
        assertThat(engine).isNotEmpty();
        noClasses().should().dependOnClassesThat().resideInAnyPackage(FRAMEWORKS).check(engine);
    }

    @Test
    void whatAFrameworkGivesKnowsNothingOfTheEngine() {
        noClasses()
                .that()
                .resideInAPackage("io.spillway.engine.spi..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.spillway.engine",
                        "io.spillway.engine.settings..",
                        "io.spillway.engine.reduce.thread..",
                        "io.spillway.engine.reduce.memory..",
                        "io.spillway.engine.reduce.segment..",
                        "io.spillway.engine.reduce.fetch..",
                        "io.spillway.engine.reduce.recovery..",
                        "io.spillway.engine.reduce.merge..",
                        "io.spillway.engine.map.spill..",
                        "io.spillway.engine.map.remote..")
                .check(engine);
    }

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("io.spillway.engine.(**)").should().beFreeOfCycles().check(engine);
    }
}
