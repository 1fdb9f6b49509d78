/** The command {@code spillway doctor}: what of an installation is not as it should be. */
package io.spillway.cli.doctor;
