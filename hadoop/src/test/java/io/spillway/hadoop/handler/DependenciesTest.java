// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DependenciesTest {
    private static final List<String> PLUG_INS =
            List.of(
                    "io.spillway.hadoop.map..",
                    "io.spillway.hadoop.reduce..",
                    "io.spillway.hadoop.handler..");

    private final JavaClasses tested =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("io.spillway.hadoop");

    @Test
    void plugInsDoNotDependOnEachOther() {
        for (final String plugIn : PLUG_INS) {
            final String[] others =
                    PLUG_INS.stream().filter(o -> !o.equals(plugIn)).toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(plugIn)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others)
                    .check(tested);
        }
    }
}
