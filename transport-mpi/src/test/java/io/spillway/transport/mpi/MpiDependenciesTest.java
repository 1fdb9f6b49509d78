// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class MpiDependenciesTest {
    @Test
    void usesNoOtherTransport() {
        final JavaClasses tested = new ClassFileImporter().importPath(Path.of("target", "classes"));
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.spillway.transport.tcp..")
                .check(tested);
    }
}
