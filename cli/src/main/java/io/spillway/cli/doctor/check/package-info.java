/** The frame of {@code spillway doctor}: a check looks and returns findings. */
package io.spillway.cli.doctor.check;
