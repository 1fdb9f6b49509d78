/** The shuffle engines that are compared. */
package io.spillway.lab.engine;
