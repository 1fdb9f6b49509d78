/** Jobs of the laboratory's own programs, and the jar that they come from. */
package io.spillway.lab.job;
