// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class LibraryDependenciesTest {
    @Test
    void usesSettingsAndPrivateFoldersOnly() {
        final String library = "io.spillway.transport.mpi.library";
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        classes()
                .that()
                .resideInAPackage(library)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        library,
                        "io.spillway.conf",
                        "io.spillway.host",
                        "io.spillway.thread",
                        "org.slf4j",
                        "java..")
                .check(tested);
    }
}
