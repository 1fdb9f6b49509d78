/**
 * Which nodes hold which outputs, and who gets the next one. All state is soft: it is made anew
 * from the reports of the nodes.
 */
package io.spillway.placement.book;
