import Imaging
import Photos
